import { expect, test } from 'vitest'
import { eachDraw } from './each-draw.ts'

test('a draw that fails holds up no other, and the job still counts as failed', async () => {
  const made: number[] = []
  const step = async (id: number): Promise<void> => {
    if (id % 2 === 0) throw new Error(`fault ${id}`)
    made.push(id)
  }
  await expect(eachDraw([1, 2, 3], {}, step)).rejects.toThrow('draw 2: fault 2')
  await expect(eachDraw([2, 3, 4], {}, step)).rejects.toMatchObject({
    errors: [{ message: 'draw 2: fault 2' }, { message: 'draw 4: fault 4' }],
  })
  expect(made).toEqual([1, 3, 3])
  await eachDraw([5, 7], { isStopping: () => made.includes(5) }, step)
  expect(made).toEqual([1, 3, 3, 5])
})
