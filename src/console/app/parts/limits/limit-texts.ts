import { type AccountLimits, limitNames, type UseLimits } from '../../../../core/limits/use-limits.ts'
import { moneyCurrency, moneyText, wholeText } from '../../language/formats.ts'
import { t } from '../../language/t.ts'

/** The texts of a limit. */
interface LimitText {
  /** The label of its field. */
  readonly label: string
  /** The limit in a list. */
  readonly line: (most: number) => string
}

/** Every limit's texts in the page's language. */
export const limitTexts: Readonly<Record<keyof AccountLimits, LimitText>> = {
  requestsPerMinute: {
    label: t`Requests a minute`,
    line: (most) => t.count(most, { one: '# request/min', other: '# requests/min' }),
  },
  tokensPerMinute: { label: t`Tokens a minute`, line: (most) => t.count(most, { one: '# token/min', other: '# tokens/min' }) },
  imagesPerMinute: { label: t`Images a minute`, line: (most) => t.count(most, { one: '# image/min', other: '# images/min' }) },
  concurrentRequests: {
    label: t`Requests at once`,
    line: (most) => t.count(most, { one: '# request at once', other: '# requests at once' }),
  },
  tokensPerDay: { label: t`Tokens a day`, line: (most) => t.count(most, { one: '# token/day', other: '# tokens/day' }) },
  imagesPerDay: { label: t`Images a day`, line: (most) => t.count(most, { one: '# image/day', other: '# images/day' }) },
  moneyPerDay: { label: t`Money a day`, line: (most) => t`${moneyAmount(most)}/day` },
  tokensPerMonth: { label: t`Tokens a month`, line: (most) => t.count(most, { one: '# token/month', other: '# tokens/month' }) },
  imagesPerMonth: { label: t`Images a month`, line: (most) => t.count(most, { one: '# image/month', other: '# images/month' }) },
  moneyPerMonth: { label: t`Money a month`, line: (most) => t`${moneyAmount(most)}/month` },
  weight: { label: t`Queue weight`, line: (most) => t`weight ${wholeText(most)}` },
  pendingRequests: {
    label: t`Waiting requests`,
    line: (most) => t.count(most, { one: '# waiting request', other: '# waiting requests' }),
  },
  openStreams: { label: t`Open streams`, line: (most) => t.count(most, { one: '# open stream', other: '# open streams' }) },
  storedBytes: { label: t`Stored bytes`, line: (most) => t.count(most, { one: '# byte', other: '# bytes' }) },
}

/** An amount that says what it is even without a currency. */
function moneyAmount(most: number): string {
  return moneyCurrency() === null ? t`${moneyText(most)} money` : moneyText(most)
}

/** The limits that are set, one per line: `20,000 tokens/day`. */
export function limitLines(limits: UseLimits & Partial<AccountLimits>): readonly string[] {
  return limitNames.flatMap((name) => {
    const most = limits[name] ?? null
    return most === null ? [] : [limitTexts[name].line(most)]
  })
}
