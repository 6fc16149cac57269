import { Template } from '@huggingface/jinja'

/** The most numbers that `range` makes: it fills a list without a look at the clock. */
const longestRange = 100_000

const formattedTime = new Template('{{ strftime_now(format) }}')

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
