"""What teaches the models of sentence roles (`kb roles train`): articles with headings, and articles whose cause and fix were marked."""
