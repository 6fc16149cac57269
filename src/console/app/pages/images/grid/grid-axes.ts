import { stylePresetNames } from '../../../../../core/images/style-preset.ts'
import type { ConsoleImageModel } from '../../../../contract/models.ts'
import { t } from '../../../language/t.ts'
import { loraRange } from '../../../parts/fields/lora-range.ts'
import type { ImageAbilities } from '../form/image-abilities.ts'
import { controlnetRanges, imageRanges } from '../form/image-ranges.ts'
import { type Size, type Sized, sizeChoices, sizeFault } from '../form/size-choices.ts'
import type { StartingImage } from '../start/starting-image.ts'
import { type Axis, type AxisValue, choiceAxis, type Drawable, numberAxis, switchAxis } from './axis.ts'

/** The data that axes look their values up in. */
export interface AxisContext {
  readonly drawable: Drawable
  readonly model: Pick<ConsoleImageModel, 'id' | 'sizes' | 'native'>
  readonly abilities: ImageAbilities
  /** All models that can draw, including the chosen one. */
  readonly models: readonly Pick<ConsoleImageModel, 'id' | 'sizes' | 'native'>[]
  readonly start: Pick<StartingImage, 'mask'> | null
}

const noAxis: Axis = { name: 'none', label: t`Nothing`, example: '', read: () => [{ label: '', change: () => ({}) }] }

/** The axes that have an effect with these settings and this model. */
export function axesFor(context: AxisContext): readonly Axis[] {
  return [noAxis, ...samplingAxes(context), ...wordAxes(context), ...modelAxes(context), ...startAxes(context), ...assetAxes(context)]
}

/** Parses the values of an axis, separated by commas; returns an error message for invalid ones. */
export function readAxis(name: string, text: string, context: AxisContext): readonly AxisValue[] | string {
  const axis = axesFor(context).find((each) => each.name === name) ?? noAxis
  if (axis === noAxis) return axis.read([])
  const words = text.split(',').map((word) => word.trim())
  if (words.some((word) => word === '')) return t`Values with commas between them.`
  const values = axis.read(words)
  if (typeof values !== 'string' && new Set(values.map(({ label }) => label)).size < values.length) return t`Each value once.`
  return values
}

function samplingAxes({ drawable, abilities }: AxisContext): readonly Axis[] {
  const { samplers, takesSeeds } = abilities
  const isSampler = (unknown: string) => t`There is no sampler ${unknown}: ${samplers.join(', ')}.`
  return [
    numberAxis({ name: 'steps', label: t`Steps`, example: '10, 20, 40' }, imageRanges.steps, (steps) => ({ steps })),
    numberAxis({ name: 'guidance', label: t`Guidance`, example: '3, 5, 8' }, imageRanges.guidanceScale, (guidanceScale) => ({
      guidanceScale,
    })),
    ...when(drawable.guidanceScale > 1, () =>
      numberAxis({ name: 'rescale', label: t`Guidance rescale`, example: '0, 0.5, 1' }, imageRanges.guidanceRescale, (guidanceRescale) => ({
        guidanceRescale,
      })),
    ),
    choiceAxis(
      { name: 'sampler', label: t`Sampler`, example: samplers.slice(0, 3).join(', ') },
      samplers.map((name) => [name, name] as const),
      isSampler,
      (sampler) => ({ sampler }),
    ),
    ...when(takesSeeds, () =>
      numberAxis({ name: 'seed', label: t`Seed`, example: '1, 2, 3' }, { min: 0, max: 2 ** 32 - 1, step: 1 }, (seed) => ({
        seed: String(seed),
      })),
    ),
  ]
}

function wordAxes({ drawable, abilities }: AxisContext): readonly Axis[] {
  const guided = drawable.guidanceScale > 1
  const styles = ['none', ...stylePresetNames].map((name) => [name, name === 'none' ? '' : name] as const)
  return [
    wordsAxis({ name: 'prompt', label: t`Words of the prompt`, example: t`tiger, fox, owl` }, 'prompt', drawable),
    ...when(guided && drawable.negativePrompt !== '', () =>
      wordsAxis({ name: 'negative', label: t`Words of the negative prompt`, example: t`text, frame, blur` }, 'negativePrompt', drawable),
    ),
    ...when(abilities.secondPrompts && drawable.prompt2 !== '', () =>
      wordsAxis({ name: 'prompt-2', label: t`Words of the second prompt`, example: t`tiger, fox, owl` }, 'prompt2', drawable),
    ),
    ...when(guided && abilities.secondPrompts && drawable.negativePrompt2 !== '', () =>
      wordsAxis(
        { name: 'negative-2', label: t`Words of the second negative prompt`, example: t`text, frame, blur` },
        'negativePrompt2',
        drawable,
      ),
    ),
    ...when(abilities.clipSkip > 0, () =>
      numberAxis(
        { name: 'clip-skip', label: t`Clip skip`, example: '0, 1, 2' },
        { ...imageRanges.clipSkip, max: abilities.clipSkip },
        (clipSkip) => ({ clipSkip }),
      ),
    ),
    choiceAxis(
      { name: 'style', label: t`Style`, example: ['none', ...stylePresetNames.slice(0, 2)].join(', ') },
      styles,
      (unknown) => t`There is no style ${unknown}; the style picker shows them all.`,
      (style) => ({ style }),
    ),
  ]
}

function modelAxes({ drawable, model, models, abilities }: AxisContext): readonly Axis[] {
  const ids = models.map(({ id }) => id)
  return [
    ...when(ids.length > 1, () =>
      choiceAxis(
        { name: 'model', label: t`Model`, example: ids.slice(0, 3).join(', ') },
        ids.map((id) => [id, id] as const),
        (unknown) => t`There is no model ${unknown}: ${ids.join(', ')}.`,
        (id) => ({ model: id }),
      ),
    ),
    sizeAxis(model),
    ...when(abilities.refines && drawable.refine, () =>
      numberAxis({ name: 'refiner', label: t`Refiner from`, example: '0.6, 0.8, 1' }, imageRanges.refinerStart, (refinerStart) => ({
        refinerStart,
      })),
    ),
    ...when(abilities.refines, () => switchAxis('refine', t`Refine the last steps`, (refine) => ({ refine }))),
    ...secondPassAxes({ drawable, abilities }),
  ]
}

function secondPassAxes({ drawable, abilities }: Pick<AxisContext, 'drawable' | 'abilities'>): readonly Axis[] {
  if (!abilities.drawsTwice || !drawable.twice) return []
  const { enlargement, secondSteps, secondStrength } = imageRanges
  const pass = (what: string) => `${t`Second pass`}: ${what}`
  return [
    numberAxis({ name: 'enlargement', label: pass(t`Times larger`), example: '1.5, 2' }, enlargement, (value) => ({
      enlargement: value,
    })),
    numberAxis({ name: 'second-steps', label: pass(t`Its steps`), example: '10, 20' }, secondSteps, (value) => ({ secondSteps: value })),
    numberAxis({ name: 'second-strength', label: pass(t`It changes`), example: '0.5, 0.7' }, secondStrength, (value) => ({
      secondStrength: value,
    })),
  ]
}

function startAxes({ start, abilities }: AxisContext): readonly Axis[] {
  if (start === null || !abilities.startsFromImage) return []
  const { strength, feather, padding } = imageRanges
  return [
    numberAxis({ name: 'strength', label: t`Change of the picture`, example: '0.4, 0.6, 0.8' }, strength, (value) => ({
      strength: value,
    })),
    ...(start.mask === null
      ? []
      : [
          numberAxis({ name: 'feather', label: t`Feather`, example: '0, 8, 16' }, feather, (value) => ({ feather: value })),
          switchAxis('full-size', t`Inpaint at full resolution`, (fullResolution) => ({ fullResolution })),
          numberAxis({ name: 'surroundings', label: t`Surroundings`, example: '16, 32, 64' }, padding, (value) => ({ padding: value })),
        ]),
  ]
}

function assetAxes({ drawable, abilities: { assets } }: AxisContext): readonly Axis[] {
  const fits = (kind: (typeof assets)[number]['kind'], name: string) => assets.find((asset) => asset.kind === kind && asset.name === name)
  const vaes = assets.filter(({ kind }) => kind === 'vae')
  return [
    ...drawable.loras.flatMap(({ name }) => {
      const lora = fits('lora', name)
      if (lora === undefined) return []
      const head = { name: `lora ${name}`, label: t`Weight of ${lora.label}`, example: '0, 0.5, 1' }
      return numberAxis(head, loraRange, (weight, { loras }) => ({
        loras: loras.map((each) => (each.name === name ? { ...each, weight } : each)),
      }))
    }),
    ...drawable.controlnets.flatMap(({ key, name }) => {
      const net = fits('controlnet', name)
      if (net === undefined) return []
      const change = (fields: Partial<Pick<(typeof drawable.controlnets)[number], 'scale' | 'until'>>, { controlnets }: Drawable) => ({
        controlnets: controlnets.map((each) => (each.key === key ? { ...each, ...fields } : each)),
      })
      const head = (what: string, label: string) => ({ name: `${what} ${key}`, label, example: '0.5, 1' })
      return [
        numberAxis(head('scale', t`Strength of ${net.label}`), controlnetRanges.scale, (scale, drawn) => change({ scale }, drawn)),
        numberAxis(head('until', t`End of ${net.label}`), controlnetRanges.until, (until, drawn) => change({ until }, drawn)),
      ]
    }),
    ...when(vaes.length > 0, () =>
      choiceAxis(
        { name: 'vae', label: 'VAE', example: ['none', ...vaes.slice(0, 2).map(({ name }) => name)].join(', ') },
        [['none', ''] as const, ...vaes.map(({ name }) => [name, name] as const)],
        (unknown) => t`There is no VAE ${unknown}; none stands for the model’s own.`,
        (vae) => ({ vae }),
      ),
    ),
  ]
}

function when(holds: boolean, axis: () => Axis): readonly Axis[] {
  return holds ? [axis()] : []
}

/** An axis of words, each of which replaces the first one in a text. */
function wordsAxis(
  head: Pick<Axis, 'name' | 'label' | 'example'>,
  field: 'prompt' | 'negativePrompt' | 'prompt2' | 'negativePrompt2',
  drawable: Drawable,
): Axis {
  return {
    ...head,
    read: (words) => {
      const [first = ''] = words
      if (!drawable[field].includes(first)) return t`The first must stand in the prompt; “${first}” does not.`
      return words.map((word) => ({ label: word, change: (drawn) => ({ [field]: drawn[field].replaceAll(first, () => word) }) }))
    },
  }
}

/** An axis of sizes, typed as `512x768`. */
function sizeAxis(model: Sized): Axis {
  const example = sizeChoices(model)
    .slice(0, 3)
    .map(({ width, height }) => `${width}x${height}`)
  return {
    name: 'size',
    label: t`Size`,
    example: example.join(', '),
    read: (words) => {
      const wrong = words.find((word) => faultOf(word, model) !== null)
      if (wrong !== undefined) return `${wrong}: ${faultOf(wrong, model)}`
      return words.flatMap((word) => {
        const size = readSize(word)
        return size === null ? [] : [{ label: `${size.width} × ${size.height}`, change: () => size }]
      })
    },
  }
}

function faultOf(word: string, model: Sized): string | null {
  const size = readSize(word)
  return size === null ? t`Width and height, as ${'512x768'}.` : sizeFault(size, model)
}

function readSize(word: string): Size | null {
  const [, width, height] = /^(\d{1,5})\s*[x×*]\s*(\d{1,5})$/i.exec(word) ?? []
  return width === undefined || height === undefined ? null : { width: Number(width), height: Number(height) }
}
