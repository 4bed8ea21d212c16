package com.example.trailnotes.data

import java.time.Instant

/** What somebody wrote down on a walk. */
data class Note(
    val id: Long,
    val title: String,
    val text: String,
    val trail: String,
    val writtenAt: Instant,
)

/** The first line, short enough for a list. */
fun Note.preview(most: Int = 60): String =
    text.lineSequence().firstOrNull().orEmpty().let { line ->
        if (line.length <= most) line else line.take(most - 1) + "…"
    }
