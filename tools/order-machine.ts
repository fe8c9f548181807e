/** `npm run order-machine`: writes the machines of orders and contests into ARCHITECTURE.md and invariants I10 and I12. */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { offerMovesAsSql, offerStatesAsTable } from '#features/offers/offer-states.rules.ts'
import { machineAsTable, movesAsSql } from '#features/purchase/orders/order-machine.rules.ts'

const projectDir = path.resolve(import.meta.dirname, '..')

/** @throws Error when the place to write to is not found */
function replaceIn(file: string, place: RegExp, text: string): void {
  const target = path.join(projectDir, file)
  const before = readFileSync(target, 'utf8')
  if (!place.test(before)) throw new Error(`${file} has no place for a machine`)
  writeFileSync(
    target,
    before.replace(place, () => text),
  )
}

replaceIn('ARCHITECTURE.md', /^\| Event +\| From [^]*?(?=\n\n)/m, machineAsTable())
replaceIn(
  'db/invariants.sql',
  /(?<=WITH moves \(from_state, to_state\) AS \(\n {2}VALUES )[^]*?(?=\n\))/,
  movesAsSql(),
)

replaceIn('ARCHITECTURE.md', /^\| Event of a contest +\| [^]*?(?=\n\n)/m, offerStatesAsTable())
replaceIn(
  'db/invariants.sql',
  /(?<=WITH moves \(event, from_state, to_state\) AS \(\n {2}VALUES )[^]*?(?=\n\))/,
  offerMovesAsSql(),
)
