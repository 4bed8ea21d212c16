package com.example.trailnotes.ui

import android.view.LayoutInflater
import android.view.ViewGroup
import androidx.recyclerview.widget.RecyclerView
import com.example.trailnotes.data.Note
import com.example.trailnotes.data.preview
import com.example.trailnotes.databinding.NoteRowBinding

/** Rows of the list; a tap opens the note. */
class NoteAdapter(private val onOpen: (Note) -> Unit) : RecyclerView.Adapter<NoteAdapter.Row>() {
    private var notes: List<Note> = emptyList()

    class Row(val binding: NoteRowBinding) : RecyclerView.ViewHolder(binding.root)

    fun submit(newNotes: List<Note>) {
        notes = newNotes
        notifyDataSetChanged()
    }

    override fun getItemCount(): Int = notes.size

    override fun onCreateViewHolder(parent: ViewGroup, viewType: Int): Row =
        Row(NoteRowBinding.inflate(LayoutInflater.from(parent.context), parent, false))

    override fun onBindViewHolder(holder: Row, position: Int) {
        val note = notes[position]
        holder.binding.title.text = note.title
        holder.binding.preview.text = note.preview()
        holder.binding.root.setOnClickListener { onOpen(note) }
    }
}
