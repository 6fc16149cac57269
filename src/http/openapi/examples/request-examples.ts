/** A small brown picture, 16 x 16 pixels. */
const picture =
  'iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAMAAAAoLQ9TAAAAA1BMVEV6RyB6SilWAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAADUlEQVQY02NgGAXIAAABEAAB7JfjegAAAABJRU5ErkJggg=='

const conversation = [{ role: 'user', content: 'What is the capital of France?' }]
const text = 'smollm2-135m-instruct'
const encoder = 'all-minilm-l6-v2'
const drawing = { prompt: 'a fox in the snow, watercolour', negative_prompt: 'blurry', seed: 7, image_encoding: 'webp' }

/** A body for each route that takes JSON, as the reference shows it and fills it in. */
export const requestExamples: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  '/generate/sdxl': drawing,
  '/generate/controlnet-sdxl': drawing,
  '/generate/sd': drawing,
  '/generate/controlnet-sd': drawing,
  '/generate/image': drawing,
  '/upscaling': { init_image: picture, scale: 2 },
  '/v1/chat/completions': { model: text, messages: conversation, temperature: 0, max_tokens: 64 },
  '/v1/chat/completions/{id}': { metadata: { topic: 'geography' } },
  '/v1/chat/completions/input_tokens': { model: text, messages: conversation },
  '/v1/messages': { model: text, system: 'Answer in one word.', messages: conversation, max_tokens: 64 },
  '/v1/messages/count_tokens': { model: text, messages: conversation },
  '/v1/responses': { model: text, instructions: 'Answer in one word.', input: 'What is the capital of France?' },
  '/v1/responses/compact': { model: text, input: conversation },
  '/v1/responses/input_tokens': { model: text, input: 'What is the capital of France?' },
  '/v1/completions': { model: text, prompt: 'The capital of France is', max_tokens: 8 },
  '/v1/embeddings': { model: encoder, input: ['a fox', 'a hare'] },
  '/v1/rerank': { query: 'an animal of the forest', documents: ['a fox in the snow', 'a ship at sea'], top_n: 1 },
  '/tokenize': { model: text, content: 'The capital of France' },
  '/detokenize': { model: text, tokens: [1, 2, 3] },
  '/completion': { model: text, prompt: 'The capital of France is', n_predict: 8, temperature: 0 },
  '/infill': { model: 'a-model-made-for-code', input_prefix: 'function add(a, b) {\n  return ', input_suffix: '\n}\n', n_predict: 16 },
  '/embedding': { model: encoder, content: 'a fox' },
  '/apply-template': { model: text, messages: conversation },
  '/v1/images/generations': { prompt: 'a fox in the snow, watercolour', size: 'auto', output_format: 'webp' },
  '/v1/batches': { input_file_id: 'file-0123456789abcdef0123456789abcdef', endpoint: '/v1/chat/completions', completion_window: '24h' },
  '/v1/assets': {
    asset_type: 'lora',
    name: 'watercolour',
    data: {
      asset_type: 'lora',
      data_type: 'fp16',
      file_format: 'safetensors',
      engine: 'image/stable-diffusion-xl-v1-0',
    },
  },
  '/v1/assets/{id}/complete-upload': {},
  '/v1/assets/{id}/picture': { image: picture },
  '/models/load': { model: text },
  '/models/unload': { model: text },
}
