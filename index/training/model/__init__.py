"""How the bundled bilingual model is made: pairs, tokenizer, training, measures, model card (``kb model train``)."""
