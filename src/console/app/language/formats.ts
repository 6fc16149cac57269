import { locale } from './language.ts'

const decimalMark = new Intl.NumberFormat(locale).formatToParts(0.5).find(({ type }) => type === 'decimal')?.value ?? '.'
const whole = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 })
const compact = new Intl.NumberFormat(locale, { notation: 'compact' })
const boxed = new Intl.NumberFormat(locale, { useGrouping: false, maximumFractionDigits: 10 })
const plainMoney = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 6 })
let money: { readonly currency: string; readonly format: Intl.NumberFormat } | null = null
const list = new Intl.ListFormat(locale)
const choice = new Intl.ListFormat(locale, { type: 'disjunction' })
const moment = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' })
const exactMoment = new Intl.DateTimeFormat(locale, {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
})
const hour = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })
const shortDay = new Intl.DateTimeFormat(locale, { month: 'short', day: 'numeric', timeZone: 'UTC' })
const weekday = new Intl.DateTimeFormat(locale, { weekday: 'long' })
const month = new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric' })
const weekdayHour = new Intl.DateTimeFormat(locale, { weekday: 'short', hour: 'numeric', minute: '2-digit', timeZone: 'UTC' })
const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' })

/** A whole number: `12,000`. */
export function wholeText(value: number): string {
  return whole.format(value)
}

/** A compact number: `12K`. */
export function compactText(value: number): string {
  return compact.format(value)
}

/** A number with at most and at least so many decimals. */
export function decimalText(value: number, most: number, least = 0): string {
  return value.toLocaleString(locale, { maximumFractionDigits: most, minimumFractionDigits: least })
}

/** A share of 1 in per cent, with a space at which lines do not break: `9 %`. */
export function percentText(share: number): string {
  return `${Math.round(share * 100)}\u00a0%`
}

/** A number for an input field, which {@link plainNumber} can parse. */
export function numberInBox(value: number): string {
  return boxed.format(value)
}

/** Sets the currency of all amounts, an ISO 4217 code; null = plain numbers. */
export function showMoneyIn(currency: string | null): void {
  // A node of an earlier version sends none.
  if (!currency) money = null
  else money = { currency, format: new Intl.NumberFormat(locale, { style: 'currency', currency, maximumFractionDigits: 6 }) }
}

/** The currency of all amounts; null = unknown. */
export function moneyCurrency(): string | null {
  return money?.currency ?? null
}

/** An amount in millionths: `€2.50`, or `2.50` without a currency. */
export function moneyText(millionths: number): string {
  return (money?.format ?? plainMoney).format(millionths / 1_000_000)
}

/** An amount in millionths for an input field, which {@link plainNumber} can parse: `2.50`. */
export function moneyInBox(millionths: number): string {
  return plainMoney.format(millionths / 1_000_000)
}

/** A typed number in programs' notation: no thousands separators, and a dot before the decimals. */
export function plainNumber(text: string): string {
  const trimmed = text.trim()
  const groups = decimalMark === ',' ? /^-?[1-9]\d{0,2}(?:\.\d{3})+(?:,\d+)?$/ : /^-?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/
  const ungrouped = groups.test(trimmed) ? trimmed.replaceAll(decimalMark === ',' ? '.' : ',', '') : trimmed
  return decimalMark === ',' ? ungrouped.replace(',', '.') : ungrouped
}

/** A list: `one, two, and three`. */
export function listText(items: readonly string[]): string {
  return list.format(items)
}

/** Alternatives: `one, two, or three`. */
export function anyOfText(items: readonly string[]): string {
  return choice.format(items)
}

/** A time to the second: `Jun 3, 2025, 4:05:06 PM`. */
export function momentText(at: number): string {
  return moment.format(at)
}

/** A day in UTC, given as `2025-06-03`: `Jun 3, 2025`. */
export function dayText(utcDay: string): string {
  return day.format(new Date(`${utcDay}T00:00Z`))
}

/** The same without the year: `Jun 3`. */
export function shortDayText(utcDay: string): string {
  return shortDay.format(new Date(`${utcDay}T00:00Z`))
}

/** The weekday of a time in the browser's time zone: `Tuesday`. */
export function weekdayText(at: number): string {
  return weekday.format(at)
}

/** The month of a time in the browser's time zone: `June 2025`. */
export function monthText(at: number): string {
  return month.format(at)
}

/** An hour in UTC with its weekday: `Tue 9:00 AM`. */
export function weekdayHourText(utcHour: string): string {
  return weekdayHour.format(new Date(`${utcHour}:00Z`))
}

/** An hour in UTC, given as `2025-06-03T09`: `Jun 3, 2025, 9:00 AM`. */
export function hourText(utcHour: string): string {
  return hour.format(new Date(`${utcHour}:00Z`))
}

/** A time to the millisecond. */
export function exactMomentText(at: number): string {
  return exactMoment.format(at)
}
