package com.example.trailnotes

import android.os.Bundle
import androidx.appcompat.app.AppCompatActivity
import com.example.trailnotes.data.Note
import com.example.trailnotes.ui.NoteListFragment

/** The only activity: a list of notes for the trail that was chosen. */
class MainActivity : AppCompatActivity() {
    override fun onCreate(state: Bundle?) {
        super.onCreate(state)
        setContentView(R.layout.main)
        if (state == null) showTrail(intent.getStringExtra("trail") ?: DEFAULT_TRAIL)
    }

    private fun showTrail(trail: String) {
        supportFragmentManager.beginTransaction()
            .replace(R.id.content, NoteListFragment.forTrail(trail), LIST)
            .commit()
    }

    /** Tell the list, where one is shown, that a note was saved. */
    fun noteSaved(note: Note) {
        val list = supportFragmentManager.findFragmentByTag(LIST) as? NoteListFragment
        list?.onNoteSaved(note)
    }

    companion object {
        private const val DEFAULT_TRAIL = "Ridge Loop"
        private const val LIST = "list"
    }
}
