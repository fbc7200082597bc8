"""What holds many records: exports of trackers, wikis and mailing lists, tables, JSON and XML, one record after the other."""
