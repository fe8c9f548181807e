import { expect, test } from 'vitest'
import { openShop } from '../../../../test/support/shop.ts'
import { LastCheck } from '../last-check.contract.ts'

const shop = await openShop()
const read = async (): Promise<LastCheck['last']> =>
  LastCheck.parse((await shop.anonymous('GET', '/api/last-check/')).body).last

test('everybody sees when the books were last checked and how it ended, and not what is wrong', async () => {
  expect(await read()).toBeNull()
  const note = (checked_at: Date, broken: string[], unknown: string[]) =>
    shop.db.insertInto('invariant_checks').values({ took_ms: 1, checked_at, broken, unknown }).execute()
  const [before, last] = [new Date(Date.now() - 3_600_000), new Date()]
  await note(last, ['I1', 'I3'], ['I5'])
  await note(before, [], [])
  const found = { checked_at: last.toISOString(), checks: 15, failed: 2, unknown: 1 }
  // The response before is kept for a moment.
  await expect.poll(read).toEqual(found)
})
