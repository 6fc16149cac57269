/** What is called the same in every language: names of products, formats and keys, and the languages themselves. */
export const namesEverywhere: ReadonlySet<string> = new Set(
  `Sepia, Edge, Opera, Samsung Internet, Firefox, Chromium, Chrome, Safari, Android, Windows, Linux, English, Deutsch, JSON, Markdown, CSV,
  PNG, JPEG, WebP, LoRA, VAE, ControlNets, Ctrl, Shift, Enter, Esc, Vulkan, Metal, Standard Webhooks, Negative prompt:, CFG scale, 16px sans-serif, {0} ms, {0} min,
  <lora:{0}:1>, hf:Qwen/Qwen3-8B-GGUF, reached failed, No address for the file came back, ms`.split(/,\s+/),
)
