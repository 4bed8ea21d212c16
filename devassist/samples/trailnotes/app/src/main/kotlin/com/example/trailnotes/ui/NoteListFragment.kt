package com.example.trailnotes.ui

import android.os.Bundle
import android.view.LayoutInflater
import android.view.View
import android.view.ViewGroup
import androidx.core.view.isVisible
import androidx.fragment.app.Fragment
import androidx.lifecycle.lifecycleScope
import com.example.trailnotes.TrailNotesApp
import com.example.trailnotes.data.Note
import com.example.trailnotes.data.NoteRepository
import com.example.trailnotes.databinding.NoteListBinding
import com.example.trailnotes.navigation.openNote
import kotlinx.coroutines.launch

/** Every note of a trail, newest first; pulled down, it asks the server again. */
class NoteListFragment : Fragment() {
    private var _binding: NoteListBinding? = null
    private val binding get() = _binding!!

    private val adapter = NoteAdapter(onOpen = { note -> openNote(note.id) })
    private val repository: NoteRepository by lazy { TrailNotesApp.of(requireContext()).repository }
    private val trail: String? get() = arguments?.getString(TRAIL)

    override fun onCreateView(inflater: LayoutInflater, container: ViewGroup?, state: Bundle?): View {
        _binding = NoteListBinding.inflate(inflater, container, false)
        return binding.root
    }

    override fun onViewCreated(view: View, state: Bundle?) {
        binding.notes.adapter = adapter
        binding.pull.setOnRefreshListener { refresh() }
        refresh()
    }

    override fun onDestroyView() {
        super.onDestroyView()
        _binding = null
    }

    /** Called by the activity when a note was saved elsewhere. */
    fun onNoteSaved(note: Note) {
        if (trail == null || note.trail == trail) refresh()
    }

    private fun refresh() {
        binding.pull.isRefreshing = true
        lifecycleScope.launch {
            val notes = repository.load(trail)
            showNotes(notes)
        }
    }

    private fun showNotes(notes: List<Note>) {
        binding.pull.isRefreshing = false
        binding.empty.isVisible = notes.isEmpty()
        adapter.submit(notes)
    }

    companion object {
        private const val TRAIL = "trail"

        fun forTrail(trail: String) = NoteListFragment().apply {
            arguments = Bundle().apply { putString(TRAIL, trail) }
        }
    }
}
