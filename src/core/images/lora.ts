/** A LoRA by the name of its asset, and how strongly it counts. */
export interface LoraUse {
  readonly name: string
  /** −10 to 10; 1 = as it was trained. */
  readonly weight: number
}

/** LoRAs that one request may mix. */
export const mostLoras = 8

/** Bound of a LoRA's weight in either direction. */
export const largestLoraWeight = 10

/** A prompt without its LoRA tags, the LoRAs they name, and tags that say something else than a name and a number. */
export interface TaggedPrompt {
  readonly text: string
  readonly loras: readonly LoraUse[]
  readonly unreadable: readonly string[]
}

/** Reads the tags `<lora:name>` and `<lora:name:0.8>` out of a prompt; a tag without a number counts 1. */
export function readLoraTags(prompt: string): TaggedPrompt {
  const loras: LoraUse[] = []
  const unreadable: string[] = []
  const text = prompt.replaceAll(/ ?<lora:([^<>]*)>/gu, (tag, inside: string) => {
    const [name = '', weight = '1', ...more] = inside.split(':').map((part) => part.trim())
    if (name === '' || !/^[+-]?(\d+\.?\d*|\.\d+)$/u.test(weight) || more.length > 0) unreadable.push(tag.trim())
    else loras.push({ name, weight: Number(weight) })
    return ''
  })
  return { text, loras, unreadable }
}

/** The tag that {@link readLoraTags} reads back. */
export function loraTag({ name, weight }: LoraUse): string {
  return `<lora:${name}:${weight}>`
}
