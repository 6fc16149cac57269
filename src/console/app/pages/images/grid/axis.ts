import { decimalText } from '../../../language/formats.ts'
import { t } from '../../../language/t.ts'
import { readNumber } from '../../../parts/fields/read-number.ts'
import type { ChosenControlnet } from '../form/controlnets.ts'
import { imageRanges, isWithin, type StepRange } from '../form/image-ranges.ts'
import type { ImageSettings } from '../form/image-settings.ts'

/** The parts of a drawing that a grid can change. */
export interface Drawable extends ImageSettings {
  readonly controlnets: readonly ChosenControlnet[]
}

/** One value of an axis: its label, and the change that it makes to the drawing. */
export interface AxisValue {
  readonly label: string
  readonly change: (drawable: Drawable) => Partial<Drawable>
}

/** A parameter that a grid can vary. */
export interface Axis {
  readonly name: string
  readonly label: string
  /** Initial text of the input field. */
  readonly example: string
  /** Parses the axis's values; returns an error message for invalid ones. */
  readonly read: (words: readonly string[]) => readonly AxisValue[] | string
}

type AxisHead = Pick<Axis, 'name' | 'label' | 'example'>

/** An axis of numbers. */
export function numberAxis(head: AxisHead, range: StepRange, change: (value: number, drawable: Drawable) => Partial<Drawable>): Axis {
  return {
    ...head,
    read: (words) => {
      const values = words.map(readNumber)
      if (!values.every((value) => isWithin(value, range)))
        return Number.isInteger(range.step)
          ? t`Whole numbers from ${range.min} to ${range.max}.`
          : t`Numbers from ${decimalText(range.min, 3)} to ${decimalText(range.max, 3)}.`
      return values.map((value) => ({ label: String(value), change: (drawable) => change(value, drawable) }))
    },
  }
}

/** An axis of one of the form's numbers. */
export function settingAxis(name: keyof typeof imageRanges, label: string, example: string, range: StepRange = imageRanges[name]): Axis {
  return numberAxis({ name, label, example }, range, (value) => ({ [name]: value }))
}

/** An option: the text to type, and its value in the drawing. */
type Choice = readonly [typed: string, value: string | boolean]

/** Options that are typed as they are called. */
export function namedChoices(names: readonly string[]): readonly Choice[] {
  return names.map((name) => [name, name])
}

/**
 * An axis of options of a setting, case-insensitive.
 *
 * @param fault Makes the message for an unknown option.
 */
export function choiceAxis(name: keyof ImageSettings, label: string, choices: readonly Choice[], fault: (unknown: string) => string): Axis {
  const find = (word: string) => choices.find(([typed]) => typed.toLowerCase() === word.toLowerCase())
  const typed = choices.slice(0, 3).map(([word]) => word)
  return {
    name,
    label,
    example: typed.join(', '),
    read: (words) => {
      const unknown = words.find((word) => find(word) === undefined)
      if (unknown !== undefined) return fault(unknown)
      return words.flatMap((word) => {
        const found = find(word)
        return found === undefined ? [] : [{ label: found[0], change: () => ({ [name]: found[1] }) }]
      })
    },
  }
}

const [off, on] = [t`off`, t`on`]

/** An axis of on and off. */
export function switchAxis(name: 'refine' | 'fullResolution', label: string): Axis {
  return choiceAxis(name, label, [[off, false] as const, [on, true] as const], () => t`Either ${off} or ${on}.`)
}
