"""How the bundled bilingual model is made: pairs, tokenizer, training, teacher, measures, model card (``kb model train``)."""
