rootProject.name = "trailnotes"
include(":app")
