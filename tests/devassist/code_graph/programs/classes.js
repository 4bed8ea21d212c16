// Classes: template methods, super, static methods, getters, callbacks kept in fields, prototypes, generators.
// truth: Shape.describe -> Square.area, Shape.describe -> Disc.area, main -> Shape.describe, Disc.area -> Shape.scale
// truth: main -> Square.constructor, main -> Disc.constructor, Disc.constructor -> Shape.constructor
// truth: Square.constructor -> Shape.constructor, main -> Button.constructor, main -> Button.click, Button.click -> pressed
// truth: pressed -> Square.of, Square.of -> Square.constructor, main -> Old, main -> Old.prototype.go, Old.prototype.go -> helper
// truth: main -> numbers, numbers -> helper, (top level) -> main, main -> Timer.constructor, main -> Timer.run
// truth: Timer.run -> Timer.tick, main -> bound, bound -> Square.area, main -> logged, main -> logged.wrapped, logged.wrapped -> helper
class Shape {
  constructor(name) { this.name = name; }
  describe() { return this.name + this.area(); }
  area() { return 0; }
  scale(n) { return n; }
}
class Square extends Shape {
  constructor(side) { super("square"); this.side = side; }
  area() { return this.side ** 2; }
  static of(side) { return new Square(side); }
}
class Disc extends Shape {
  constructor(radius) { super("disc"); this.radius = radius; }
  area() { return super.scale(this.radius); }
}
class Button {
  constructor(onClick) { this.onClick = onClick; }
  click() { return this.onClick(this); }
}
function pressed() { return Square.of(1); }
function Old() { this.ready = true; }
Old.prototype.go = function () { return helper(); };
function helper() { return 1; }
function* numbers() { yield helper(); }
class Timer {
  constructor() { this.steps = [this.tick]; }
  run() { for (const step of this.steps) step(); }
  tick() { return 1; }
}
function bound(shape) {
  const area = shape.area.bind(shape);
  return area();
}
function logged(action) {
  return function wrapped(...args) { return action(...args); };
}
function main() {
  for (const shape of [new Square(1), new Disc(2)]) shape.describe();
  new Button(pressed).click();
  new Old().go();
  for (const n of numbers()) n;
  new Timer().run();
  bound(new Square(2));
  logged(helper)(1);
}
main();
