"""Tests of what runs came to."""
