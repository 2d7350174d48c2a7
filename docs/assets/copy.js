// The button beside an example copies what is typed: commands without prompts and output.
for (const code of document.querySelectorAll("pre > code")) {
  const lines = code.textContent.split("\n");
  const prompt = lines.some((line) => line.startsWith(">>> ")) ? /^(>>>|\.\.\.)( |$)/ : /^\$ /;
  const typed = lines.filter((line) => prompt.test(line));
  if (typed.length) code.dataset.copy = typed.map((line) => line.replace(prompt, "")).join("\n");
}
