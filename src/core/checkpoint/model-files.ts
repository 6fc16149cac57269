/** What a model of several files is put together from besides its transformer, by diffusers' names. Tokenizers are folders. */
export const componentNames = [
  'text_encoder',
  'text_encoder_2',
  'text_encoder_3',
  'vae',
  'tokenizer',
  'tokenizer_2',
  'tokenizer_3',
] as const

export type ComponentName = (typeof componentNames)[number]

/** Absolute paths of such files, as far as they lie outside the model's own file or folder. */
export type ModelFiles = Readonly<Partial<Record<ComponentName, string>>>
