package com.example.trailnotes.data

import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.withContext

/** Notes from the server, the last ones kept for when there is no signal. */
class NoteRepository(
    private val api: NoteApi,
    private val io: CoroutineDispatcher = Dispatchers.IO,
) {
    private var kept: List<Note> = emptyList()

    suspend fun load(trail: String? = null): List<Note> = withContext(io) {
        runCatching { api.notes(trail) }
            .onSuccess { notes -> kept = notes }
            .getOrElse { kept.filter { note -> trail == null || note.trail == trail } }
            .sortedByDescending { it.writtenAt }
    }

    suspend fun save(note: Note): Note = withContext(io) { api.save(note) }
}
