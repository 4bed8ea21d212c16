package com.example.trailnotes.data

/** The server that keeps everybody's notes. */
interface NoteApi {
    suspend fun notes(trail: String?): List<Note>

    suspend fun save(note: Note): Note
}
