/** A LoRA, by the name of its asset, and its weight. */
export interface LoraUse {
  readonly name: string
  /** −10 to 10; 1 = as trained. */
  readonly weight: number
  /** Weight for the text encoders, if different from that for the UNet. */
  readonly textWeight?: number
}

/** Maximum number of LoRAs per request. */
export const maxLoras = 8

/** Maximum absolute weight of a LoRA. */
export const largestLoraWeight = 10

/** A prompt without its tags, the LoRAs named in them, and invalid or foreign tags. */
export interface TaggedPrompt {
  readonly text: string
  readonly loras: readonly LoraUse[]
  readonly unreadable: readonly string[]
  /** Tags of other programs, such as `<hypernet:name:1>`. */
  readonly foreign: readonly string[]
}

const number = /^[+-]?(\d+\.?\d*|\.\d+)$/u
/** Words of LoRA tags; the latter two come from A1111 extensions. */
const loraWords = new Set(['lora', 'lyco', 'locon'])

/**
 * Parses the tags `<lora:name>`, `<lora:name:0.8>` and, as in A1111, `<lora:name:0.8:0.5>` (weights for text encoders and UNet) from a
 * prompt. Letter case is ignored; the default weight is 1.
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

/** Formats a tag for {@link readLoraTags}. */
export function loraTag({ name, weight, textWeight }: LoraUse): string {
  return textWeight === undefined ? `<lora:${name}:${weight}>` : `<lora:${name}:${textWeight}:${weight}>`
}
