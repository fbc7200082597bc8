// The API description with Swagger UI, in the reader's colours.
"use strict";

const dark = matchMedia("(prefers-color-scheme: dark)");
const paint = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", paint);
paint();

SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#swagger-ui",
  docExpansion: "list",
  defaultModelsExpandDepth: -1,
  validatorUrl: null, // asks a server elsewhere by default
});
