/** A LoRA by the name of its asset, and how strongly it counts. */
export interface LoraUse {
  readonly name: string
  /** −10 to 10; 1 = as it was trained. */
  readonly weight: number
  /** The weight for text encoders, where it is another than that for the UNet. */
  readonly textWeight?: number
}

/** LoRAs that one request may mix. */
export const mostLoras = 8

/** Bound of a LoRA's weight in either direction. */
export const largestLoraWeight = 10

/** A prompt without its tags, the LoRAs they name, and tags that cannot be read or are of another kind. */
export interface TaggedPrompt {
  readonly text: string
  readonly loras: readonly LoraUse[]
  readonly unreadable: readonly string[]
  /** Such as `<hypernet:name:1>`, which some programs that draw know. */
  readonly foreign: readonly string[]
}

const number = /^[+-]?(\d+\.?\d*|\.\d+)$/u
/** Words that name a LoRA; A1111's extensions wrote the others. */
const loraWords = new Set(['lora', 'lyco', 'locon'])

/**
 * Reads the tags `<lora:name>`, `<lora:name:0.8>` and, as A1111 does, `<lora:name:0.8:0.5>` with weights for text encoders and UNet out of a prompt, in letters of
 * either case; a tag without a number counts 1.
 */
export function readLoraTags(prompt: string): TaggedPrompt {
  const loras: LoraUse[] = []
  const [unreadable, foreign]: [string[], string[]] = [[], []]
  const text = prompt.replaceAll(/ ?<([a-z]+):([^<>]*)>/giu, (tag, word: string, inside: string) => {
    if (!loraWords.has(word.toLowerCase())) {
      foreign.push(tag.trim())
      return tag
    }
    const [name = '', first = '1', second = first, ...more] = inside.split(':').map((part) => part.trim())
    if (name === '' || !number.test(first) || !number.test(second) || more.length > 0) unreadable.push(tag.trim())
    else loras.push({ name, weight: Number(second), ...(Number(first) !== Number(second) && { textWeight: Number(first) }) })
    return ''
  })
  return { text, loras, unreadable, foreign }
}

/** The tag that {@link readLoraTags} reads back. */
export function loraTag({ name, weight, textWeight }: LoraUse): string {
  return textWeight === undefined ? `<lora:${name}:${weight}>` : `<lora:${name}:${textWeight}:${weight}>`
}
