import type { ComponentChildren, VNode } from 'preact'

/** One column of a ledger. */
export interface Column<Row> {
  readonly title: string
  /** `lead` names its row, `amount` is right-aligned, `actions` has no visible heading. */
  readonly kind?: 'lead' | 'plain' | 'amount' | 'actions'
  readonly cell: (row: Row) => ComponentChildren
}

interface LedgerProps<Row> {
  /** The table's content, for screen readers. */
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
  /** Whether a row is no longer valid. */
  readonly isStruck?: (row: Row) => boolean
  /** On narrow screens, rows fold into lists, or the table scrolls sideways. */
  readonly narrow?: 'folds' | 'scrolls'
  /** Closer columns, for tables with many. */
  readonly crowded?: boolean
}

/** A table of records. */
export function Ledger<Row>({ label, columns, rows, keyOf, isStruck = () => false, narrow = 'folds', crowded }: LedgerProps<Row>): VNode {
  const table = (
    <table aria-label={label} class={['ledger', narrow === 'folds' && 'folds', crowded && 'crowded'].filter(Boolean).join(' ')}>
      <thead>
        <tr>
          {columns.map(({ title, kind }) => (
            <th scope="col" key={title} class={kind === 'amount' ? kind : undefined}>
              {kind === 'actions' ? <span class="hidden-text">{title}</span> : title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)} class={isStruck(row) ? 'struck' : undefined}>
            {columns.map(({ title, kind = 'plain', cell }) => (
              <td
                key={title}
                class={kind === 'plain' ? undefined : kind}
                data-label={kind === 'lead' || kind === 'actions' ? undefined : title}
              >
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
  if (narrow === 'folds') return <div class={crowded ? 'sheet flush ledger-scroll' : 'sheet flush'}>{table}</div>
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
    <section class="sheet flush ledger-scroll" tabIndex={0} aria-label={label}>
      {table}
    </section>
  )
}
