import type { BudgetSums, UsedSums } from '../../core/limits/budget.ts'
import { type Row, readInteger } from './row.ts'

/** What a subject has used and set aside; without the columns of what is set aside, nothing is. */
export function readBudgetSums(row: Row): BudgetSums {
  const read = (column: string) => (row[column] === undefined ? 0 : readInteger(row, column))
  const used = (kind: string): UsedSums => ({
    tokens: read(`${kind}_tokens`),
    images: read(`${kind}_images`),
    money: read(`${kind}_money`),
  })
  return {
    used: { minute: used('minute'), day: used('day'), month: used('month') },
    reserved: {
      ...used('reserved'),
      running: { requests: read('running_requests'), tokens: read('running_tokens'), images: read('running_images') },
    },
  }
}
