import { expect, test } from 'vitest'
import { personOf } from './people.ts'

test('every number is another person, with a username and an address of their own', () => {
  const people = Array.from({ length: 50_000 }, (_, index) => personOf(index))
  expect(new Set(people.map(({ username }) => username)).size).toBe(people.length)
  expect(
    new Set(people.map(({ name, street, postcode, country }) => [name, street, postcode, country].join('|')))
      .size,
  ).toBe(people.length)
  expect(people.filter(({ username }) => !/^[a-z]+\.[a-z]+(\.\d+)?$/.test(username))).toEqual([])
  expect(personOf(12_345)).toEqual(people[12_345])
})

test('of each hundred people as many live in a country as its share says', () => {
  const countries = Object.groupBy(
    Array.from({ length: 100 }, (_, index) => personOf(700 + index)),
    ({ country, language }) => `${country} ${language}`,
  )
  expect(Object.fromEntries(Object.entries(countries).map(([key, people]) => [key, people?.length]))).toEqual(
    { 'BE fr': 24, 'BE nl': 24, 'FR fr': 24, 'NL nl': 16, 'LU fr': 5, 'DE en': 7 },
  )
})
