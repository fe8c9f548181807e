import { type Sold, costText, sell } from '../sell.ts'
import { type Statements, countStatements } from '../statements.ts'
import { type Bench, type Found, whole } from './part.ts'

const TICKETS = 1_000_000
const BUYERS = 32
const TURNS = 3

interface Row extends Sold {
  what: string
  /** Statements of PostgreSQL for each purchase. */
  statements: Statements
}

/** The same shop with its limits as they are and a million times as wide, in turn: both count, only one could refuse. */
export async function limits({ stand, load, seconds }: Bench): Promise<Found> {
  const shops = [
    { name: 'limits as they are', shop: await stand.shop({ ROLES: 'web', LIMITS_FACTOR: '1' }) },
    { name: 'a million times wider', shop: await stand.shop({ ROLES: 'web' }) },
  ]
  const rows: Row[] = []
  for (let turn = 0; turn <= TURNS; turn += 1) {
    for (const { name, shop } of shops) {
      const { id: offerId } = await stand.newOffer(TICKETS)
      const before = await countStatements.read(stand.adminUrl)
      const sold = await sell(stand, load, { shop, what: 'purchase', buyers: BUYERS, seconds, offerId })
      const after = await countStatements.read(stand.adminUrl)
      const each = (kind: keyof Statements): number => (after[kind] - before[kind]) / sold.done
      // The first turn warms both.
      if (turn > 0)
        rows.push({ what: name, ...sold, statements: { all: each('all'), limits: each('limits') } })
    }
  }
  return {
    title: `what the limits cost, ${BUYERS} buyers, in turn`,
    head: ['what', 'a second', 'p99 ms', 'statements each', 'of the limits', 'CPU ms each', 'refused'],
    lines: rows.map((row) => [
      row.what,
      whole(row.perSecond),
      whole(row.p99),
      row.statements.all.toFixed(2),
      row.statements.limits.toFixed(4),
      costText(row.cost),
      Object.keys(row.refused).length > 0 ? JSON.stringify(row.refused) : '',
    ]),
    rows: rows.map((row) => ({ ...row })),
  }
}
