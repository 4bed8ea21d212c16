package com.example.trailnotes.navigation

import android.content.Intent
import androidx.fragment.app.Fragment
import com.example.trailnotes.MainActivity

const val NOTE_ID = "note_id"

/** Show one note; the list stays behind it. */
fun Fragment.openNote(id: Long) {
    startActivity(Intent(requireContext(), MainActivity::class.java).putExtra(NOTE_ID, id))
}
