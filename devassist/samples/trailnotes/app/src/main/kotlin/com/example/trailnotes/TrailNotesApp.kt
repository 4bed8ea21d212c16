package com.example.trailnotes

import android.app.Application
import android.content.Context
import com.example.trailnotes.data.Note
import com.example.trailnotes.data.NoteApi
import com.example.trailnotes.data.NoteRepository

/** Holds what lives as long as the process. */
class TrailNotesApp : Application() {
    val repository: NoteRepository by lazy { NoteRepository(api = OfflineApi) }

    companion object {
        fun of(context: Context): TrailNotesApp = context.applicationContext as TrailNotesApp
    }
}

/** Stands in for the server until there is one. */
private object OfflineApi : NoteApi {
    override suspend fun notes(trail: String?): List<Note> = emptyList()

    override suspend fun save(note: Note): Note = note
}
