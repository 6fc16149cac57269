import { stylePresetNames } from '../../../../../core/images/style-preset.ts'
import { decimalText } from '../../../language/formats.ts'
import { readNumber } from '../../../parts/fields/read-number.ts'
import type { ImageAbilities } from '../form/image-abilities.ts'
import { imageRanges, isWithin, loraRange, type StepRange } from '../form/image-ranges.ts'
import type { ImageSettings } from '../form/image-settings.ts'
import { t } from '../text.ts'

/** What a grid can change from cell to cell. */
export const axisNames = [
  'none',
  'steps',
  'guidance',
  'sampler',
  'seed',
  'prompt',
  'style',
  'strength',
  'clip-skip',
  'rescale',
  'lora',
] as const
export type AxisName = (typeof axisNames)[number]

/** What the axes are called, and what is typed for them. */
export const axisWords: Readonly<Record<AxisName, { readonly label: string; readonly example: string }>> = {
  none: { label: t`Nothing`, example: '' },
  steps: { label: t`Steps`, example: '10, 20, 40' },
  guidance: { label: t`Guidance`, example: '3, 5, 8' },
  sampler: { label: t`Sampler`, example: t`DDIM, K_EULER, UNI_PC` },
  seed: { label: t`Seed`, example: '1, 2, 3' },
  prompt: { label: t`Words of the prompt`, example: t`tiger, fox, owl` },
  style: { label: t`Style`, example: t`none, anime, film-noir` },
  strength: { label: t`Change of the picture`, example: '0.4, 0.6, 0.8' },
  'clip-skip': { label: t`Clip skip`, example: '0, 1, 2' },
  rescale: { label: t`Guidance rescale`, example: '0, 0.5, 1' },
  lora: { label: t`Weight of the first LoRA`, example: '0, 0.5, 1' },
}

/** One value of an axis: what it is called, and what of the settings it changes. */
export interface AxisValue {
  readonly label: string
  readonly change: (settings: ImageSettings) => Partial<ImageSettings>
}

/** Where the values of an axis are looked up. */
export interface AxisContext {
  readonly settings: ImageSettings
  readonly abilities: ImageAbilities
  /** Whether there is a picture to start from. */
  readonly starts: boolean
}

/** The axes that change something with these settings and this model. */
export function axesFor({ settings, abilities, starts }: AxisContext): readonly AxisName[] {
  const left: readonly AxisName[] = [
    ...(abilities.takesSeeds ? [] : (['seed'] as const)),
    ...(starts && abilities.startsFromImage ? [] : (['strength'] as const)),
    ...(abilities.clipSkip > 0 ? [] : (['clip-skip'] as const)),
    ...(settings.guidanceScale > 1 ? [] : (['rescale'] as const)),
    ...(firstLora(settings, abilities) ? [] : (['lora'] as const)),
  ]
  return axisNames.filter((name) => !left.includes(name))
}

/** Reads the values of an axis, typed with commas between; or a sentence that says what is wrong with them. */
export function readAxis(name: AxisName, text: string, context: AxisContext): readonly AxisValue[] | string {
  if (name === 'none') return [{ label: '', change: () => ({}) }]
  const words = text.split(',').map((word) => word.trim())
  if (words.some((word) => word === '')) return t`Values with commas between them.`
  if (new Set(words).size < words.length) return t`Each value once.`
  const { settings, abilities } = context
  const numbers = (range: StepRange, change: (value: number) => Partial<ImageSettings>) => readNumbers(words, range, change)
  switch (name) {
    case 'steps':
      return numbers(imageRanges.steps, (steps) => ({ steps }))
    case 'guidance':
      return numbers(imageRanges.guidanceScale, (guidanceScale) => ({ guidanceScale }))
    case 'seed':
      return numbers({ min: 0, max: 2 ** 32 - 1, step: 1 }, (seed) => ({ seed: String(seed) }))
    case 'strength':
      return numbers(imageRanges.strength, (strength) => ({ strength }))
    case 'clip-skip':
      return numbers({ ...imageRanges.clipSkip, max: abilities.clipSkip }, (clipSkip) => ({ clipSkip }))
    case 'rescale':
      return numbers(imageRanges.guidanceRescale, (guidanceRescale) => ({ guidanceRescale }))
    case 'lora': {
      const chosen = firstLora(settings, abilities)
      const weigh = (weight: number) => ({ loras: settings.loras.map((each) => (each.name === chosen ? { ...each, weight } : each)) })
      return numbers(loraRange, weigh)
    }
    case 'sampler': {
      const known = abilities.samplers
      const unknown = words.find((word) => !known.some((sampler) => sampler === word.toUpperCase()))
      if (unknown !== undefined) return t`There is no sampler ${unknown}: ${known.join(', ')}.`
      return words.map((word) => {
        const sampler = known.find((each) => each === word.toUpperCase()) ?? settings.sampler
        return { label: sampler, change: () => ({ sampler }) }
      })
    }
    case 'style': {
      const unknown = words.find((word) => word !== 'none' && !stylePresetNames.includes(word))
      if (unknown !== undefined) return t`There is no style ${unknown}; the style picker shows them all.`
      return words.map((word) => ({ label: word, change: () => ({ style: word === 'none' ? '' : word }) }))
    }
    case 'prompt': {
      const [first = ''] = words
      if (!settings.prompt.includes(first)) return t`The first must stand in the prompt; “${first}” does not.`
      return words.map((word) => ({ label: word, change: ({ prompt }) => ({ prompt: prompt.replaceAll(first, word) }) }))
    }
  }
}

function readNumbers(
  words: readonly string[],
  range: StepRange,
  change: (value: number) => Partial<ImageSettings>,
): readonly AxisValue[] | string {
  const values = words.map(readNumber)
  if (!values.every((value) => isWithin(value, range)))
    return Number.isInteger(range.step)
      ? t`Whole numbers from ${range.min} to ${range.max}.`
      : t`Numbers from ${decimalText(range.min, 3)} to ${decimalText(range.max, 3)}.`
  return values.map((value) => ({ label: String(value), change: () => change(value) }))
}

function firstLora({ loras }: ImageSettings, { assets }: ImageAbilities): string | undefined {
  return loras.find(({ name }) => assets.some((asset) => asset.kind === 'lora' && asset.name === name))?.name
}
