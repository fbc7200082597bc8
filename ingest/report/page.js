(function () {
  var asked = new URLSearchParams(location.search).get("lang");
  var lang = asked === "zh" || asked === "en" ? asked : /^zh/i.test(navigator.language || "") ? "zh" : "en";
  document.documentElement.lang = lang === "zh" ? "zh-CN" : "en";
  document.documentElement.className = "show-" + lang;
})();
