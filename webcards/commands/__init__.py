"""What the command line needs around the commands: its streams, the lines it reads and writes, its last words."""
