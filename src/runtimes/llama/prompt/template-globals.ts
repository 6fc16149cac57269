import { Template } from '@huggingface/jinja'

/** The most numbers that `range` makes: it fills a list without a look at the clock. */
const longestRange = 100_000

const formattedTime = new Template('{{ strftime_now(format) }}')

/** Today under the names by which templates of before `strftime_now` ask for it, in llama.cpp's spelling. */
export function todayVariables(): { readonly date_string: string; readonly datetime: string } {
  return { date_string: formattedTime.render({ format: '%d %b %Y' }), datetime: formattedTime.render({ format: '%b %d %Y' }) }
}

/** What every chat template may use beside its own variables. */
export const templateGlobals = {
  true: true,
  True: true,
  false: false,
  False: false,
  none: null,
  None: null,
  range: makeRange,
  strftime_now: (format: string) => formattedTime.render({ format }),
  raise_exception: (message: string) => {
    throw new Error(message)
  },
}

function makeRange(first: number, second?: number, step = 1): number[] {
  const [start, stop] = second === undefined ? [0, first] : [first, second]
  const length = Math.max(0, Math.ceil((stop - start) / step))
  if (!(length <= longestRange)) throw new RangeError(`range() makes at most ${longestRange} numbers`)
  return Array.from({ length }, (_, index) => start + index * step)
}
