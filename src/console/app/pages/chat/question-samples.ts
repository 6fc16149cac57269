/** The model that comes with the service. It has learned no other language than English. */
export const builtInModel = 'sepia-mini-chat'

/** Questions to begin with, of things that the built-in model knows. */
export const questionSamples = [
  'What is the capital of Portugal?',
  'Tell me a short story about a fox.',
  'What is 17 + 25?',
  'How do you say “water” in Spanish?',
] as const
