import type { TextPart } from '../regex/text-part.ts'

const digits = (count: number): string => `[0-9]{${count}}`
const date = `${digits(4)} "-" ("0" [1-9] | "1" [0-2]) "-" ("0" [1-9] | "1" [0-9] | "2" [0-8])`
const time = `([01] [0-9] | "2" [0-3]) ":" [0-5] [0-9] ":" [0-5] [0-9] ("." [0-9]{3})? ("Z" | [+-] ("0" [0-9] | "1" [0-2]) ":" [0-5] [0-9])`
const octet = '("25" [0-5] | "2" [0-4] [0-9] | "1" [0-9] [0-9] | [1-9]? [0-9])'
const label = '([a-z0-9] ([a-z0-9-]{0,59} [a-z0-9])?)'
/** At most four labels, which stay below the 253 characters of a name. */
const hostname = `${label} ("." ${label}){0,3}`
const domain = `(${label} "."){1,2} [a-z]{2,24}`
const mailbox = '[A-Za-z0-9_+-]{1,30} ("." [A-Za-z0-9_+-]{1,30})?'
const port = '":" [1-9] [0-9]{0,3}'
const uriCharacter = "[A-Za-z0-9._~!$&'()*+,;=:@-]"
const amount = '[0-9]{1,4}'
const days = `${amount} "Y" (${amount} "M" (${amount} "D")?)? | ${amount} "M" (${amount} "D")? | ${amount} "D"`
const hours = `"T" (${amount} "H" (${amount} "M" (${amount} "S")?)? | ${amount} "M" (${amount} "S")? | ${amount} "S")`

function format(rule: string, least: number, most: number): TextPart {
  return { rule, least, most }
}

/** A shorter form for limited lengths. */
const shortMailbox = '[a-z0-9]{1,12} "@" [a-z0-9]{1,12} "." [a-z]{2,4}'
const shortUri = (path: number): string => `"http" "s"? "://" [a-z0-9]{1,24} "." [a-z]{2,4} ("/" [A-Za-z0-9._~=&-]{0,${path}})?`

/** The inside of strings by JSON Schema's `format`, the longest first; each allows no more than its standard, and less where that would be long. */
export const stringFormats: Readonly<Record<string, readonly TextPart[]>> = {
  date: [format(date, 10, 10)],
  time: [format(time, 9, 18)],
  'date-time': [format(`${date} "T" ${time}`, 20, 29)],
  duration: [format(`"P" (${amount} "W" | (${days}) (${hours})? | ${hours})`, 3, 32)],
  email: [format(`${mailbox} "@" ${domain}`, 6, 210), format(shortMailbox, 6, 30)],
  hostname: [format(hostname, 1, 247), format(label, 1, 61)],
  ipv4: [format(`${octet} ("." ${octet}){3}`, 7, 15)],
  ipv6: [format('[0-9a-f]{1,4} (":" [0-9a-f]{1,4}){7}', 15, 39)],
  uri: [
    format(
      `[a-z] [a-z0-9]{0,15} "://" ${hostname} (${port})? ("/" ${uriCharacter}{0,100}){0,8} ("?" ${uriCharacter}{0,400})? ("#" ${uriCharacter}{0,100})?`,
      5,
      1581,
    ),
    format(shortUri(200), 11, 238),
    format(shortUri(60), 11, 98),
  ],
  uuid: [format([8, 4, 4, 4, 12].map((count) => `[0-9a-f]{${count}}`).join(' "-" '), 36, 36)],
}
