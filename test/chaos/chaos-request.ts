/** A small request that differs from every other one by its index: mostly chats, every eighth a picture. */
export function makeChaosRequest(index: number): { readonly path: string; readonly body: string } {
  if (index % 8 === 7) return makePictureRequest(index, 2)
  const content = `Say something about the number ${index}.`
  const body = { model: 'sepia-mini-chat', messages: [{ role: 'user', content }], max_tokens: 3, seed: index }
  return { path: '/v1/chat/completions', body: JSON.stringify(body) }
}

export function makePictureRequest(seed: number, steps: number): { readonly path: string; readonly body: string } {
  return { path: '/generate/sdxl', body: JSON.stringify({ prompt: 'a tiger on a light blue background', steps, seed }) }
}
