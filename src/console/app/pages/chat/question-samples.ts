/** The language models that come with the service. They know only English. */
export const builtInModels: readonly string[] = ['smollm2-135m-instruct', 'sepia-mini-chat']

/** Suggested questions that the built-in models can answer. */
export const questionSamples = [
  'What is the capital of Japan?',
  'Tell me a short story about a fox.',
  'Give me three tips for better sleep.',
] as const
