// Starts Swagger UI on the document that the page names; requests to this server carry the token and project of the bar.
"use strict";

(() => {
  const place = document.getElementById("docs");
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
  dark.addEventListener("change", follow);
  follow();

  SwaggerUIBundle({
    url: place.dataset.openapi,
    domNode: place,
    deepLinking: true,
    displayRequestDuration: true,
    docExpansion: "list",
    defaultModelsExpandDepth: 0,
    filter: true,
    tryItOutEnabled: false,
    validatorUrl: null,
    requestInterceptor: (request) => {
      if (new URL(request.url, location.href).origin === location.origin) {
        for (const [name, value] of Object.entries(window.stoa.headers())) {
          request.headers[name] ??= value;
        }
      }
      return request;
    },
  });
})();
