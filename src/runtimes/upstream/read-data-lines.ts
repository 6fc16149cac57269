/** The `data:` lines of a server-sent stream of UTF-8 text, without their prefix. */
export async function* readDataLines(pieces: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  let rest = ''
  for await (const piece of pieces) {
    const lines = `${rest}${piece}`.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (line.startsWith('data:')) yield line.slice('data:'.length).trim()
  }
  if (rest.startsWith('data:')) yield rest.slice('data:'.length).trim()
}
