/** What is called the same in every language: names of products, formats and keys, and the languages themselves. */
export const namesEverywhere: ReadonlySet<string> = new Set(
  `Sepia, Edge, Opera, Samsung Internet, Firefox, Chromium, Chrome, Safari, Android, Windows, Linux, English, Deutsch, JSON, Markdown, CSV,
  PNG, JPEG, WebP, LoRA, VAE, ControlNets, Ctrl, Shift, Enter, Esc, None, True, False, Vulkan, Metal`.split(/,\s+/),
)
