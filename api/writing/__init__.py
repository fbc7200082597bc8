"""What curators do at a door: write-ups and fields become incidents, are saved, compared and looked for. Shared by JSON and page."""
