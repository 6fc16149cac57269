const places = ['France', 'Japan', 'Kenya', 'Peru', 'Norway', 'Chad', 'Cuba', 'Nepal', 'Fiji', 'Oman']
const elements = ['gold', 'iron', 'helium', 'copper', 'sodium', 'neon', 'tin', 'lead']
const words = ['hot', 'big', 'fast', 'happy', 'early', 'open', 'rich', 'young']

/** Fifty short questions that the built-in model knows something about; any other model answers them too. */
export const identityPrompts: readonly string[] = [
  ...places.map((place) => `What is the capital of ${place}?`),
  ...places.map((place) => `Which continent is ${place} in?`),
  ...elements.map((element) => `What is the chemical symbol of ${element}?`),
  ...words.map((word) => `What is the opposite of ${word}?`),
  ...[3, 8, 14, 27, 41, 59].map((number) => `What is ${number} + ${number - 1}?`),
  ...['fox', 'robot', 'bear', 'whale', 'goat'].map((animal) => `Tell me a short story about a ${animal}.`),
  'Hello! Who are you?',
  'Why is the sky blue?',
  'Write a rhyme about the sea.',
]
