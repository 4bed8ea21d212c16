-- A public library, made up for tests; public domain.
CREATE TABLE branches (branch_id int PRIMARY KEY, branch_name text NOT NULL);
CREATE TABLE books (book_id int PRIMARY KEY, title text NOT NULL, genre text NOT NULL, pages int NOT NULL);
CREATE TABLE loans (loan_id int PRIMARY KEY, book_id int NOT NULL REFERENCES books (book_id),
  branch_id int NOT NULL REFERENCES branches (branch_id), lent_on date NOT NULL, returned_on date);
INSERT INTO branches VALUES (1, 'Harbour'), (2, 'Hill');
INSERT INTO books VALUES (1, 'Tides', 'nature', 210), (2, 'Ferns', 'nature', 96), (3, 'The Lamp', 'novel', 340),
  (4, 'Salt', 'novel', 120);
INSERT INTO loans VALUES (1, 1, 1, '2026-01-05', '2026-01-19'), (2, 1, 2, '2026-02-02', NULL),
  (3, 3, 1, '2026-02-10', '2026-02-24'), (4, 3, 1, '2026-03-01', NULL), (5, 4, 2, '2026-03-08', '2026-03-10');
