SELECT COUNT(*) WHERE age >= 80 AND sex = 'Female' AND workclass <> 'Private';
SELECT COUNT(*) WHERE age >= 80 AND sex = 'Female' AND workclass <> 'Private' AND race = 'White';
SELECT COUNT(*) WHERE age >= 80 AND sex = 'Female' AND workclass <> 'Private' AND education = 'HS-grad';
