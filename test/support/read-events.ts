/** One server-sent event with a name, and its data. */
export interface ReadEvent<Data> {
  readonly name: string
  readonly data: Data
}

/** Every named event of an answer, in order. */
export async function readEvents<Data>(response: Response): Promise<readonly ReadEvent<Data>[]> {
  const text = await response.text()
  return text.split('\n\n').flatMap((block) => {
    const [, name = '', data = ''] = /^event: (.+)\ndata: (.*)$/.exec(block) ?? []
    return name === '' ? [] : [{ name, data: JSON.parse(data) }]
  })
}
