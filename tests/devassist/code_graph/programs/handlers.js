// Functions as arguments, in objects, arrays and maps; closures; arrow functions.
// truth: apply -> double, main -> apply, byTable -> start, byTable -> stop, main -> byTable, main -> runAll
// truth: runAll -> start, runAll -> stop, main -> makeAdder, main -> makeAdder.add, main -> register
// truth: main -> fire, fire -> onOpen, onOpen -> double, main -> double, main -> negate, main -> chain, chain -> negate
// truth: (top level) -> main, spread -> double, spread -> negate, main -> spread, main -> methods.run, methods.run -> methods.step
// truth: main -> options, options -> negate, options -> double
// truth: main -> destructured, destructured -> start
function double(n) { return n * 2; }
const negate = (n) => -n;
function apply(action, n) { return action(n); }
function start(n) { return n + 1; }
function stop(n) { return n - 1; }
const table = { start, stop };
function byTable(name, n) { return table[name](n); }
function runAll(n) {
  for (const step of [start, stop]) n = step(n);
  return n;
}
function makeAdder(amount) {
  return function add(n) { return n + amount; };
}
const listeners = new Map();
function register(name, listener) { listeners.set(name, listener); }
function fire(name, n) { return listeners.get(name)(n); }
function onOpen(n) { return double(n); }
function chain(n) { return Promise.resolve(n).then(negate); }
function spread(...actions) { return actions.map((action) => action(1)); }
const methods = {
  run(n) { return this.step(n); },
  step(n) { return n; },
};
function options({ before, after = double }) { return after(before(1)); }
function destructured() {
  const { start: first } = table;
  return first(1);
}
function main() {
  apply(double, 1);
  byTable("start", 1);
  byTable("stop", 1);
  runAll(1);
  const add = makeAdder(1);
  add(2);
  register("open", onOpen);
  fire("open", 1);
  [1, 2].map(double);
  [3].forEach((n) => negate(n));
  chain(1);
  spread(double, negate);
  methods.run(1);
  options({ before: negate });
  destructured();
}
main();
