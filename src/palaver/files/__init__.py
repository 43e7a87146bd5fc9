"""Files on the disk, whatever they hold: opened safely, and replaced as a whole."""
