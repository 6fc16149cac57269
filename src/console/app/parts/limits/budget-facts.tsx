import type { VNode } from 'preact'
import { type Budget, leftOf } from '../../../../core/limits/budget.ts'
import { moneyText, wholeText } from '../../language/formats.ts'
import { t } from '../../language/t.ts'
import { Facts } from '../facts.tsx'

/** Labels of the remaining amount of each limit. */
const left: Readonly<Record<Budget['unit'], Readonly<Record<Budget['per'], string>>>> = {
  tokens: {
    moment: t`Tokens left at once`,
    minute: t`Tokens left this minute`,
    day: t`Tokens left today`,
    month: t`Tokens left this month`,
  },
  images: {
    moment: t`Images left at once`,
    minute: t`Images left this minute`,
    day: t`Images left today`,
    month: t`Images left this month`,
  },
  money: { moment: t`Money left at once`, minute: t`Money left this minute`, day: t`Money left today`, month: t`Money left this month` },
  requests: {
    moment: t`Requests left at once`,
    minute: t`Requests left this minute`,
    day: t`Requests left today`,
    month: t`Requests left this month`,
  },
}

/** What is left of the user's limits; nothing when there are none. */
export function BudgetFacts({ budgets }: { budgets: readonly Budget[] }): VNode | null {
  if (budgets.length === 0) return null
  const amountOf = (budget: Budget) => (
    <>
      {amountText(budget, leftOf(budget))} <span>{t`of ${amountText(budget, budget.limit)}`}</span>
    </>
  )
  return <Facts class="sheet facts large" of={budgets.map((budget) => [left[budget.unit][budget.per], amountOf(budget)])} />
}

/** What is left of budgets, as lines: `Tokens left today: 20 of 100`. */
export function budgetLines(budgets: readonly Budget[]): readonly string[] {
  return budgets.map(
    (budget) => t`${left[budget.unit][budget.per]}: ${amountText(budget, leftOf(budget))} of ${amountText(budget, budget.limit)}`,
  )
}

function amountText({ unit }: Budget, value: number): string {
  return unit === 'money' ? moneyText(value) : wholeText(value)
}
