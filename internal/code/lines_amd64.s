#include "go_asm.h"
#include "textflag.h"

// SI is the line at hand, DI the registers, BX the table of operations, X0 the result x
// of the line before, X2 zero. LOAD and the others take an operand of the line.

#define LOAD(i, X) MOVWLZX i(SI), R8; MOVSD (DI)(R8*8), X
#define ADD(i, X) MOVWLZX i(SI), R9; ADDSD (DI)(R9*8), X
#define SUB(i, X) MOVWLZX i(SI), R9; SUBSD (DI)(R9*8), X
#define MUL(i, X) MOVWLZX i(SI), R10; MULSD (DI)(R10*8), X
#define DIV(i, X) MOVWLZX i(SI), R10; DIVSD (DI)(R10*8), X

// NEXT goes to the next line, PUT sets d to x and does so.
#define NEXT MOVBLZX line_op(SI), R8; JMP (BX)(R8*8)
#define PUT MOVWLZX line_d(SI), R11; ADDQ $line__size, SI; MOVSD X0, (DI)(R11*8); NEXT

#define OPERATION(name) TEXT name(SB), NOSPLIT|NOFRAME, $0

OPERATION(stop<>)
	RET

OPERATION(move<>)
	LOAD(line_a, X0)
	PUT

OPERATION(add<>)
	LOAD(line_a, X0)
	ADD(line_b, X0)
	PUT

OPERATION(sub<>)
	LOAD(line_a, X0)
	SUB(line_b, X0)
	PUT

OPERATION(mul<>)
	LOAD(line_a, X0)
	MUL(line_b, X0)
	PUT

OPERATION(mulAdd<>)
	LOAD(line_a, X0)
	MUL(line_b, X0)
	ADD(line_c, X0)
	PUT

OPERATION(mulSub<>)
	LOAD(line_a, X0)
	MUL(line_b, X0)
	SUB(line_c, X0)
	PUT

OPERATION(subMul<>)
	LOAD(line_a, X1)
	LOAD(line_c, X0)
	MUL(line_b, X1)
	SUBSD X1, X0
	PUT

OPERATION(dot<>)
	LOAD(line_a, X0)
	LOAD(line_c, X1)
	MUL(line_b, X0)
	MUL(line_e, X1)
	ADDSD X1, X0
	PUT

OPERATION(det<>)
	LOAD(line_a, X0)
	LOAD(line_c, X1)
	MUL(line_b, X0)
	MUL(line_e, X1)
	SUBSD X1, X0
	PUT

OPERATION(div<>)
	LOAD(line_a, X0)
	DIV(line_b, X0)
	PUT

OPERATION(sqrt<>)
	LOAD(line_a, X0)
	SQRTSD X0, X0
	ADDSD  X2, X0
	PUT

OPERATION(addX<>)
	ADD(line_b, X0)
	PUT

OPERATION(subX<>)
	SUB(line_b, X0)
	PUT

OPERATION(xSub<>)
	LOAD(line_a, X1)
	SUBSD  X0, X1
	MOVAPD X1, X0
	PUT

OPERATION(mulX<>)
	MUL(line_b, X0)
	PUT

OPERATION(mulXAdd<>)
	MUL(line_b, X0)
	ADD(line_c, X0)
	PUT

OPERATION(mulAddX<>)
	LOAD(line_a, X1)
	MUL(line_b, X1)
	ADDSD X1, X0
	PUT

OPERATION(mulXSub<>)
	MUL(line_b, X0)
	SUB(line_c, X0)
	PUT

OPERATION(mulSubX<>)
	LOAD(line_a, X1)
	MUL(line_b, X1)
	SUBSD  X0, X1
	MOVAPD X1, X0
	PUT

OPERATION(subMulX<>)
	LOAD(line_c, X1)
	MUL(line_b, X0)
	SUBSD  X0, X1
	MOVAPD X1, X0
	PUT

OPERATION(xSubMul<>)
	LOAD(line_a, X1)
	MUL(line_b, X1)
	SUBSD X1, X0
	PUT

OPERATION(dotX<>)
	LOAD(line_c, X1)
	MUL(line_b, X0)
	MUL(line_e, X1)
	ADDSD X1, X0
	PUT

OPERATION(detX<>)
	LOAD(line_c, X1)
	MUL(line_b, X0)
	MUL(line_e, X1)
	SUBSD X1, X0
	PUT

OPERATION(xDet<>)
	LOAD(line_a, X1)
	MUL(line_e, X0)
	MUL(line_b, X1)
	SUBSD  X0, X1
	MOVAPD X1, X0
	PUT

OPERATION(divX<>)
	DIV(line_b, X0)
	PUT

OPERATION(xDiv<>)
	LOAD(line_a, X1)
	DIVSD  X0, X1
	MOVAPD X1, X0
	PUT

OPERATION(sqrtX<>)
	SQRTSD X0, X0
	ADDSD  X2, X0
	PUT

// In the order of type operation.
DATA table<>+0(SB)/8, $stop<>(SB)
DATA table<>+8(SB)/8, $stop<>(SB)
DATA table<>+16(SB)/8, $stop<>(SB)
DATA table<>+24(SB)/8, $move<>(SB)
DATA table<>+32(SB)/8, $add<>(SB)
DATA table<>+40(SB)/8, $sub<>(SB)
DATA table<>+48(SB)/8, $mul<>(SB)
DATA table<>+56(SB)/8, $mulAdd<>(SB)
DATA table<>+64(SB)/8, $mulSub<>(SB)
DATA table<>+72(SB)/8, $subMul<>(SB)
DATA table<>+80(SB)/8, $dot<>(SB)
DATA table<>+88(SB)/8, $det<>(SB)
DATA table<>+96(SB)/8, $div<>(SB)
DATA table<>+104(SB)/8, $sqrt<>(SB)
DATA table<>+112(SB)/8, $addX<>(SB)
DATA table<>+120(SB)/8, $subX<>(SB)
DATA table<>+128(SB)/8, $xSub<>(SB)
DATA table<>+136(SB)/8, $mulX<>(SB)
DATA table<>+144(SB)/8, $mulXAdd<>(SB)
DATA table<>+152(SB)/8, $mulAddX<>(SB)
DATA table<>+160(SB)/8, $mulXSub<>(SB)
DATA table<>+168(SB)/8, $mulSubX<>(SB)
DATA table<>+176(SB)/8, $subMulX<>(SB)
DATA table<>+184(SB)/8, $xSubMul<>(SB)
DATA table<>+192(SB)/8, $dotX<>(SB)
DATA table<>+200(SB)/8, $detX<>(SB)
DATA table<>+208(SB)/8, $xDet<>(SB)
DATA table<>+216(SB)/8, $divX<>(SB)
DATA table<>+224(SB)/8, $xDiv<>(SB)
DATA table<>+232(SB)/8, $sqrtX<>(SB)
GLOBL table<>(SB), RODATA, $240

// lines runs lines up to one that stops or leaves, where SI is then.
TEXT lines<>(SB), NOSPLIT|NOFRAME, $0
	LEAQ  table<>(SB), BX
	XORPD X2, X2
	NEXT

// func runSegment(first *line, r *float64) (ran int)
TEXT ·runSegment(SB), NOSPLIT, $0-24
	MOVQ first+0(FP), SI
	MOVQ r+8(FP), DI
	CALL lines<>(SB)
	SUBQ first+0(FP), SI
	SHRQ $4, SI
	MOVQ SI, ran+16(FP)
	RET

// func runSteps(s *stepping)
TEXT ·runSteps(SB), NOSPLIT, $0-8
	MOVQ s+0(FP), CX
	MOVQ stepping_r(CX), DI
	MOVQ stepping_records(CX), DX
	MOVQ stepping_recordAt(CX), R8
	LEAQ (DX)(R8*8), DX              // the record of the step
	MOVQ stepping_rows(CX), AX
	MOVQ stepping_rowAt(CX), R8
	LEAQ (AX)(R8*8), AX              // its row
	MOVQ stepping_steps(CX), R12
	JMP  more

step:
	XORQ R8, R8
	MOVQ stepping_state(CX), R9

record: // the state
	CMPQ  R8, R9
	JGE   recorded
	MOVSD (DI)(R8*8), X1
	MOVSD X1, (DX)(R8*8)
	INCQ  R8
	JMP   record

recorded:
	XORQ R8, R8
	LEAQ (DI)(R9*8), R10
	MOVQ stepping_width(CX), R9

take: // the row
	CMPQ  R8, R9
	JGE   taken
	MOVSD (AX)(R8*8), X1
	MOVSD X1, (R10)(R8*8)
	INCQ  R8
	JMP   take

taken:
	MOVQ stepping_recordBy(CX), R8
	LEAQ (DX)(R8*8), DX
	MOVQ stepping_rowBy(CX), R8
	LEAQ (AX)(R8*8), AX
	MOVQ stepping_lines(CX), SI
	CALL lines<>(SB)
	DECQ R12

more:
	TESTQ R12, R12
	JGT   step
	MOVQ  R12, stepping_steps(CX)
	RET
